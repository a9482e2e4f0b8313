// Documents that are not text, as small as their readers take them.

import { crc32 } from 'node:zlib';

/** Returns a ZIP file that holds these texts by their names, none compressed. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, content] = [Buffer.from(name), Buffer.from(text)];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, place, path);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), fields, path, content);
    offset += 4 + fields.length + path.length + content.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const PACKAGES = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function relationships(type, target) {
  const one = `<Relationship Id="r1" Type="${OFFICE}/${type}" Target="${target}"/>`;
  return `${HEAD}<Relationships xmlns="${PACKAGES}/relationships">${one}</Relationships>`;
}

function contentTypes(part, type) {
  const office = 'application/vnd.openxmlformats';
  return (
    `${HEAD}<Types xmlns="${PACKAGES}/content-types">` +
    `<Default Extension="rels" ContentType="${office}-package.relationships+xml"/>` +
    `<Override PartName="/${part}" ContentType="${office}-officedocument.${type}+xml"/></Types>`
  );
}

/** Returns a document of Word with a heading and a paragraph. */
export function docx(heading, paragraph) {
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const run = (text) => `<w:r><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;
  return zip({
    '[Content_Types].xml': contentTypes('word/document.xml', 'wordprocessingml.document.main'),
    '_rels/.rels': relationships('officeDocument', 'word/document.xml'),
    'word/document.xml':
      `${HEAD}<w:document xmlns:w="${main}"><w:body>` +
      `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(heading)}</w:p>` +
      `<w:p>${run(paragraph)}</w:p></w:body></w:document>`,
  });
}

/** Returns a workbook with one sheet of these rows. */
export function xlsx(sheet, rows) {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cell = (text) => `<c t="inlineStr"><is><t>${escaped(text)}</t></is></c>`;
  const lines = rows.map((row, at) => `<row r="${at + 1}">${row.map(cell).join('')}</row>`);
  return zip({
    '[Content_Types].xml': contentTypes('xl/workbook.xml', 'spreadsheetml.sheet.main'),
    '_rels/.rels': relationships('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml':
      `${HEAD}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets>` +
      `<sheet name="${escaped(sheet)}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
  });
}

/** Returns a PDF of one page with one line, which is ASCII without brackets. */
export function pdf(line) {
  const stream = `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
