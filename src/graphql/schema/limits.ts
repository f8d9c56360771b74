import {
  type LimitSetting,
  type LimitUnit,
  type LimitValue,
  limitDefinitions,
  limitUnits,
} from '../../kernel/limit-values.ts';
import { builder } from './builder.ts';
import { objectType } from './object-type.ts';

const valuesOf = <Name extends string>(names: readonly Name[], description: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [name, { value: name, description: description(name) }])) as Record<
    Name,
    { value: Name; description: string }
  >;

const LimitName = builder.enumType('LimitName', {
  description: 'The limits, by the names of the settings that raise them.',
  values: valuesOf(
    Object.keys(limitDefinitions) as LimitSetting[],
    (name) => limitDefinitions[name].description,
  ),
});

const LimitUnitEnum = builder.enumType('LimitUnit', {
  description: 'The unit of a limit.',
  values: valuesOf(Object.keys(limitUnits) as LimitUnit[], (unit) => limitUnits[unit]),
});

const Limit = objectType<LimitValue>('Limit', {
  description: 'A limit on the content or the number of requests.',
  exposes: {
    'value: Float': 'The limit. Null if there is no limit.',
  },
  fields: (t) => ({
    name: t.field({ type: LimitName, description: 'The name of the limit.', resolve: ({ name }) => name }),
    unit: t.field({ type: LimitUnitEnum, description: 'The unit of `value`.', resolve: ({ unit }) => unit }),
  }),
});

builder.queryField('limits', (t) =>
  t.field({
    type: [Limit],
    description: 'The limits of this gateway.',
    resolve: (_, __, context) => context.limits ?? [],
  }),
);
