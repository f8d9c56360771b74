/**
 * Patterns of the paths of HTTP rules, and of the names and values of headers and cookies that they match. Controllers
 * write them into the configuration of a proxy, so that quotes, braces, `;`, `$`, `\` and backticks are left out.
 */
export const rulePath = /^\/(?:[-A-Za-z0-9/._~!&()*+,=:@]|%[0-9A-Fa-f]{2})*$/;
export const matchedName = /^[-A-Za-z0-9!#%&*+.^_|~]+$/;
export const matchedValue = /^[-A-Za-z0-9 !#%&()*+,./:<=>?@[\]^_|~]*$/;

/** How errors describe them. */
export const rulePathMessage =
  'Must start with `/` and contain only letters, digits, `%` with two hexadecimal digits, and `-/._~!&()*+,=:@`';
export const matchedMessage =
  'Must consist of ASCII letters, digits and signs other than quotes, braces, `;`, `$`, `\\` and backticks';
