// Documents for the page to show, some of which would rather run.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { docx, pdf, xlsx } from './foreign.mjs';

/** What no page may get at that is not ours. */
export const CANARY = 'canary-6f1d';

/** Texts that fooled renderers. Each would set `window.__pwned`. */
export const HOSTILE = [
  '<script>window.__pwned=1</script>',
  '<img src=x onerror=window.__pwned=1>',
  '<svg onload=window.__pwned=1>',
  '<iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>',
  '<details open ontoggle=window.__pwned=1>',
  '<a href="javascript:window.__pwned=1" id=bait>x</a>',
  '[x](javascript:window.__pwned=1)',
  '[x](\tjavascript:window.__pwned=1)',
  '[x](<java\tscript:window.__pwned=1>)',
  '[x](java&#115;cript:window.__pwned=1)',
  '[x](data:text/html,<script>window.__pwned=1</script>)',
  '[x](vbscript:window.__pwned=1)',
  '<javascript:window.__pwned=1>',
  '![x](https://evil.invalid/beacon.png)',
  '![" onerror="window.__pwned=1](x)',
  '[x](https://a.invalid/"onmouseover="window.__pwned=1)',
  '[x](https://bank.invalid@evil.invalid/)',
  '[x](//evil.invalid/)',
  '<style>@import "https://evil.invalid/x.css"</style>',
  '<link rel=stylesheet href=https://evil.invalid/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.invalid/">',
  '<base href=https://evil.invalid/>',
  '<form action=https://evil.invalid/><button>x</button></form>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.__pwned=1>',
  '```"><script>window.__pwned=1</script>\n</code></pre><script>window.__pwned=1</script>\n```',
  '| <script>window.__pwned=1</script> |\n|-|\n| <img src=x onerror=window.__pwned=1> |',
  '[^1]\n\n[^1]: <script>window.__pwned=1</script>',
  '<!--><script>window.__pwned=1</script>-->',
];

/** A name of a file may be nearly anything. */
export const HOSTILE_NAMES = [
  '<img src=x onerror=window.__pwned=1>.md',
  '"><script>window.__pwned=1<∕script>.md',
  "javascript:window.__pwned=1 ' onload='.md",
  'a#b?c%2e&amp;.md',
];

/** Names that would look like others, were they shown as they are; with what is shown. */
export const STEERING_NAMES = {
  'oil\u202egnp.exe\u202c.md': 'oil\\u{202e}gnp.exe\\u{202c}.md',
  'a\u2066b\u2069\u001b[2J.md': 'a\\u{2066}b\\u{2069}\\u{1b}[2J.md',
  'two\nlines\u0085.md': 'two\\u{a}lines\\u{85}.md',
};

/** Signs that text may hold, some dozens a line: those that steer, and those beside them. */
export const SIGNS =
  [
    [0x01, 0x3ff],
    [0x600, 0x6ff],
    [0x1680, 0x18ff],
    [0x2000, 0x20ff],
    [0xfe00, 0xfeff - 1],
    [0xff00, 0xffff],
  ]
    .map(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, n) => String.fromCharCode(from + n)),
    )
    .flat()
    // What ends a line does so.
    .filter((sign) => sign !== '\n' && sign !== '\r')
    .join('')
    .match(/.{1,40}/gsu) ?? [];

/** Makes the trees. Returns `docs`, which is for reading, and `notes`, for writing. */
export function makeDocuments() {
  const base = mkdtempSync(join(tmpdir(), 'docent-page-'));
  const write = (path, text) => {
    const whole = join(base, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  };
  write(
    'docs/guide/setup.md',
    [
      '---',
      'title: Setting up',
      'tags: [setup, lamp]',
      '---',
      '# Setting up',
      '',
      'Light the lantern first. The lantern has to burn before anything else is done.',
      '',
      '## Tools',
      '',
      '- a match',
      '- oil, see [trouble](trouble.md#smoke)',
      '- [elsewhere](https://example.com/x)',
      '',
      '| part | number |',
      '|:-----|-------:|',
      '| wick | 1 |',
      '',
      '```sh',
      `echo ${'a-long-line-of-code '.repeat(12)}`,
      '```',
      '',
      '<!-- a comment that agents read -->',
      '',
      '- [x] done',
      '- [ ] to do',
      '',
      '![lamp](lamp.png)',
      '',
      '## Light',
      '',
      'Hold the match to the wick. Then the lantern burns.',
      '',
    ].join('\n'),
  );
  write('docs/guide/trouble.md', '# Trouble\n\n## Smoke\n\nTrim the wick of the lantern.\n');
  write(
    'docs/안내/시작하기.md',
    [
      '---',
      'title: 시작하기',
      'tags: [안내]',
      '---',
      '# 시작하기',
      '',
      '등불을 먼저 켭니다. 문서를 검색하려면 루트를 지정해야 하며, 지정하지 않은 곳은 절대로 열지 않습니다.',
      '',
      '## 설치',
      '',
      '검색어는 한 글자부터 이백 글자까지 쓸 수 있습니다.',
      '',
    ].join('\n'),
  );
  write('docs/code/lamp.py', 'def light():\n    return "lantern"\n');
  write('docs/plain.txt', 'A plain text about a lantern.\n');
  write('docs/office/minutes.docx', docx('Minutes', `The lamplighter. ${HOSTILE[1]}`));
  write(
    'docs/office/oil.xlsx',
    xlsx('Oil', [
      ['month', 'litres'],
      ['May', HOSTILE[0]],
    ]),
  );
  write('docs/office/plan.pdf', pdf('The plan of the lamplighter'));
  write('docs/office/damaged.docx', docx('Minutes', 'x').subarray(0, 300));
  write('docs/.env', `TOKEN=${CANARY}\n`);
  write('docs/binary.md', 'a lantern\0\0\0');
  write('docs/secret-plan.md', `# Plan\n\nThe word is ${CANARY}.\n`);
  write(
    'docs/long/lines.txt',
    Array.from(
      { length: 30000 },
      (_, n) => `line ${n + 1} of a long text about oil and wicks`,
    ).join('\n'),
  );
  write('docs/long/one-line.md', `# Wide\n\n${'wide '.repeat(100000)}\n`);
  write('docs/long/end.txt', `short\n${'no-blank-'.repeat(20000)}the-very-end\nbehind it\n`);
  write('docs/long/packed.json', `{"all":[${'"item",'.repeat(220000)}"last"]}\n`);
  write('docs/long/short-lines.txt', 'x\n'.repeat(60000));
  write('docs/deep/quotes.md', `# Deep\n\n${'> - '.repeat(900)}the bottom\n`);
  write('docs/deep/signs.md', `${'>'.repeat(90000)} the bottom\n`);
  write(
    'docs/deep/columns.md',
    `${'|a'.repeat(900)}|\n${'|-'.repeat(900)}|\n${'|b|\n'.repeat(4000)}`,
  );
  write('docs/places/links.md', '# Places\n\n[many](../many/), [guide](../guide), [all](../)\n');
  write('docs/places/picture.png', '\x89PNG\r\n\x1a\n\0\0\0');
  write('docs/signs.md', `\`\`\`\n${SIGNS.join('\n')}\n\`\`\`\n`);
  for (const name of Object.keys(STEERING_NAMES)) {
    write(`docs/steering/${name}`, '# Steering\n\nThe helmsman steers.\n');
  }
  for (let n = 0; n < 150; n += 1) {
    write(
      `docs/many/${String(n).padStart(3, '0')}.md`,
      `# Lamp ${n}\n\n${'The beacon burns on the hill, and the beacon is seen. '.repeat(4)}\n`,
    );
  }
  HOSTILE.forEach((text, n) =>
    write(
      `docs/hostile/${n}.md`,
      `# ${text.split('\n')[0]} hostile\n\n${text}\n\nhostile ${text}\n`,
    ),
  );
  HOSTILE_NAMES.forEach((name) =>
    write(
      `docs/names/${name}`,
      `---\ntitle: "${name.replaceAll('"', "'")}"\n---\n# A <b>name</b>\n\nhostile\n`,
    ),
  );
  write('notes/list.md', '# List\n\n- oil\n');
  return { base, docs: join(base, 'docs'), notes: join(base, 'notes') };
}
