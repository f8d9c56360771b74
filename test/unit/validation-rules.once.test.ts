import { parse, specifiedRules, validate } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { rulesFor } from '../../src/graphql/server/validation-rules.ts';

it.each([
  'query ($team: TeamReff!) { team(by: $team) { name } }',
  '{ node(id: "x") { ... on Teams { name } } }',
  'fragment Named on Compnent { name } { viewer { ...Named } }',
  'query ($by: Unlike_anything!) { __typename }',
  'query ($by: TeamRef!) { team(by: $by) { name } }',
])('documents with unknown types have the errors of graphql-js: %s', (text) => {
  const document = parse(text);
  const errors = validate(schema, document, rulesFor()).map(({ message }) => message);
  expect(errors).toEqual(validate(schema, document, specifiedRules).map(({ message }) => message));
  expect(errors.some((message) => message.startsWith('Unknown type'))).toBe(!text.includes('TeamRef!'));
});
