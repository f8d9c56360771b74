import { expect, it } from 'vitest';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

/** Texts that a database could take for something else. */
const values = ['', '007', '1e5', '9007199254740993', 'null', 'true', `a "b" 'c' \\ ?`, 'ü – 𝄞', '{"a":[1]}'];

/** More variables than are inserted at once, and none of the multiples of that. */
const set = Array.from({ length: 61 }, (_, index) => ({
  name: `VARIABLE_${index}`,
  value: values[index % values.length]!,
  isSecret: index % 3 === 0,
  isChangeable: index % 2 === 0,
}));

it('adds many variables with one statement, each as it was given', async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  const component = { componentId };
  trellis.statements.length = 0;
  await trellis.succeed('setVariables', { component, set }, '__typename');
  const inserts = trellis.statements.filter((text) => text.includes('INSERT INTO "environment_variable"'));
  expect(inserts).toHaveLength(1);
  const { component: read } = await trellis.data(
    `query ($by: ComponentRef!) { component(by: $by) {
      variables(first: 100) { nodes { name value isSecret isChangeable portNumber } }
    } }`,
    { by: component },
  );
  const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name);
  const expected = set.map((each) => ({ ...each, portNumber: null }));
  expect(read.variables.nodes.sort(byName)).toEqual(expected.sort(byName));
});
