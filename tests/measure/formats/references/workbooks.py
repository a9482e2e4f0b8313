"""Workbooks of Excel 5 to 2003, as xlrd reads them."""
from references.reference import Reference


def xls(path):
    import xlrd

    reference = Reference()
    with open("/dev/null", "w") as log, xlrd.open_workbook(path, logfile=log) as workbook:
        for sheet in workbook.sheets():
            if sheet.visibility != 0:
                continue
            for number in range(sheet.nrows):
                # Numbers are shown by their formats, which programs render in different ways.
                cells = [str(cell.value) if cell.ctype == xlrd.XL_CELL_TEXT else "" for cell in sheet.row(number)]
                reference.texts.extend(cells)
                if all(cell.ctype in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_EMPTY) for cell in sheet.row(number)):
                    reference.rows.append(cells)
    return reference
