/** The parameter of an address that names the dialog which the page opens. */
export const dialogParam = 'do';

/** The address of a page that opens a dialog. */
export const atDialog = (href: string, dialog: string) => `${href}?${dialogParam}=${dialog}`;
