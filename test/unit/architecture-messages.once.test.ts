import { describe, expect, it } from 'vitest';
import { everyTemplate, parse, templatesOf } from '../support/message-templates.ts';
import { identifyingIn } from '../support/named-values.ts';

/** Texts with values that are no names, and that no caller reads as a name. Each with its reason. */
const exempt: { [file: string]: { [value: string]: string } } = {
  'db/sealed.ts': { id: 'the log, where operators look for the row' },
  'domain/component/names/model.ts': { clusterName: 'a name that the caller writes' },
  'domain/component/operations.ts': { alias: 'an alias that the caller writes' },
  'domain/component/volumes/many-rows.ts': {
    id: 'the path of a volume until another one has left its place',
  },
  'domain/event/export/check-model.ts': {
    id: 'events have no name; the file that is verified has their ids',
  },
  'domain/event/seals/check-model.ts': {
    eventId: 'events have no name; the file that is verified has their ids',
    firstEventId: 'events have no name; the file that is verified has their ids',
    lastEventId: 'events have no name; the file that is verified has their ids',
    keyId: 'a key has no name; the file of keys has its id',
  },
  'domain/plan/entry.ts': { alias: 'an alias that the caller writes' },
  'domain/plan/ports.ts': { alias: 'the alias of a port, which people give it and see' },
  'domain/port/operations.ts': { alias: 'the alias of a port, which people give it and see' },
  'domain/session/identity-operations.ts': {
    id: 'the reason in the log and in the record of administrators',
  },
  'domain/session/sign-in-operations.ts': { id: 'the reason in the log and in the record of administrators' },
  'domain/upkeep/keys/reads.ts': {
    keyId: 'a key has no name; operators compare ids',
    fromKeyId: 'a key has no name; operators compare ids',
  },
  'drivers/region/kubernetes/cluster/shares.ts': { teamId: 'a key of a map', callerId: 'a key of a map' },
  'drivers/region/kubernetes/component/drift.ts': { clusterName: 'a key of a map' },
  'drivers/region/kubernetes/usage/access.ts': { ids: 'a selector for the cluster' },
  'graphql/schema/subscription.ts': { teamId: 'what a seal is for' },
  'graphql/trusted/read.ts': { id: 'operators name documents by their ids' },
  'kernel/access.ts': { deployHookApplicationId: 'a key of a map' },
  'mcp/result.ts': { requestId: 'the id of the request, which the server log has' },
};

const found = everyTemplate().flatMap(({ source, templates }) =>
  templates.flatMap(({ file, line, text, values }) =>
    values.flatMap((value) => identifyingIn(source, value)).map((value) => ({ file, line, text, value })),
  ),
);

/** The identifying values in the templates of a text of source code, in which they are marked. */
function inSource(marked: string): string[] {
  const text = marked.replaceAll('«', '${').replaceAll('»', '}');
  const source = parse('example.ts', text);
  return templatesOf(source, text).flatMap(({ values }) =>
    values.flatMap((each) => identifyingIn(source, each)),
  );
}

describe('messages', () => {
  it('are found where the server makes them', () => {
    expect(everyTemplate().flatMap(({ templates }) => templates).length).toBeGreaterThan(400);
  });

  it('name objects by their names, and by nothing that identifies them to programs', () => {
    expect(found.filter(({ file, value }) => exempt[file]?.[value] === undefined)).toEqual([]);
  });

  it('have no exemption without need', () => {
    const needed = new Set(found.map(({ file, value }) => `${file} ${value}`));
    const listed = Object.entries(exempt).flatMap(([file, values]) =>
      Object.keys(values).map((value) => `${file} ${value}`),
    );
    expect(listed.filter((each) => !needed.has(each))).toEqual([]);
  });
});

describe('the search for identifying values', () => {
  it.each([
    ['a member', '`The component «row.alias» runs.`', ['alias']],
    ['a variable', '({ teamId }) => `The team «teamId» is full.`', ['teamId']],
    ['a constant', 'const list = rows.map(({ id }) => id).join(", "); `In use by «list».`', ['id']],
    ['a function', 'function of(row) { return row.uid; } `In use by «of(row)».`', ['uid']],
    ['a list', 'const ids = rows; `In use by «nameList(ids)».`', ['ids']],
    ['a part of a condition', '`In use by «row ? row.clusterName : "another"».`', ['clusterName']],
    ['a name', '`The component «row.name» runs.`', []],
    ['a lookup', '`The component «nameOf.get(componentId)» runs.`', []],
    ['a count', '`The team has «ids.length» members.`', []],
    ['a line of the log', 'log.warn(`The team «teamId» is full.`)', []],
    ['a defect', 'throw new Error(`no driver of «regionId»`)', []],
  ])('looks at %s', (_, text, values) => {
    expect(inSource(text)).toEqual(values);
  });
});
