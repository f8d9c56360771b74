/** The mutations that no action of the console makes, each with the reason. */
export const notInConsole: Readonly<Record<string, string>> = {};
