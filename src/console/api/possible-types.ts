/** The types of the interfaces that documents of the console select by. `npm run check` compares them with the schema. */
export const possibleTypes = {
  Error: [
    'ConflictError',
    'ForbiddenError',
    'InvalidInputError',
    'NotFoundError',
    'QuotaExceededError',
    'StoreRefusedError',
    'StoreUnavailableError',
  ],
};
