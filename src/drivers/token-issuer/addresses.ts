/** The schemes that the address of an issuer can have. */
export const issuerSchemes = (allowPrivate: boolean) => (allowPrivate ? ['https:', 'http:'] : ['https:']);
