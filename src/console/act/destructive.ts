/** The verbs of mutations that take something away. */
const verbs = /^(?:cancel|close|delete|end|remove|revoke|uninstall)[A-Z]/;

/** Whether an action takes something away: by the name of its mutation, unless it says so itself. */
export const isDestructive = (action: { mutation: string; isDestructive?: boolean }) =>
  action.isDestructive ?? verbs.test(action.mutation);
