/** Whether a browser can open the address: not one without a scheme, nor one of all hosts below a domain. */
export const isOpenable = (address: string) => /^https?:\/\/[^*]/.test(address);
