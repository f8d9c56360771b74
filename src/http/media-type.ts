/** Whether a `Content-Type` is JSON. */
export const isJson = (type: string | undefined) => /^application\/json\s*(;|$)/i.test(type ?? '');
