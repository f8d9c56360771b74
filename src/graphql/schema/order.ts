import { builder } from './builder.ts';

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'The sort direction of a list.',
  values: {
    ASC: { value: 'asc', description: 'Ascending.' },
    DESC: { value: 'desc', description: 'Descending.' },
  },
});

export function orderInput<O extends string>(type: string, orders: Record<O, string>) {
  const field = builder.enumType(`${type}OrderField`, {
    description: `The properties that a list of ${type} objects can be sorted by.`,
    values: Object.fromEntries(
      Object.entries(orders).map(([name, description]) => [
        name,
        { value: name, description: description as string },
      ]),
    ) as Record<O, { value: O; description: string }>,
  });
  return builder.inputType(`${type}Order`, {
    description: `The sort order of a list of ${type} objects.`,
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The property to sort by.' }),
      direction: t.field({
        type: OrderDirection,
        required: false,
        description: 'The sort direction. Defaults to ascending.',
      }),
    }),
  });
}
