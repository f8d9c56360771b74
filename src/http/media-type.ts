/** Whether a `Content-Type` is JSON. */
export const isJson = (type: string | undefined) => /^application\/json\s*(;|$)/i.test(type ?? '');

/** Whether a `Content-Type` is that of a form. */
export const isForm = (type: string | undefined) =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '');
