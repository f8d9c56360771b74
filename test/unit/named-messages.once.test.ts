import { describe, expect, it } from 'vitest';
import { unnamedIn } from '../support/named-messages.ts';

const id = '0123456789abcdef0123456789abcdef';

describe('the check of every answer', () => {
  it.each([
    ['an alias', 'The component gr07c0ff runs.'],
    ['an id', `The team ${id} is full.`],
    ['a UUID', 'The run 01234567-89ab-cdef-0123-456789abcdef is over.'],
    ['a number', 'The job 12 has already succeeded.'],
  ])('finds %s in a message', (_, message) => {
    expect(unnamedIn(() => '{}', JSON.stringify({ errors: [{ message }] }))).toEqual([message]);
    expect(unnamedIn(() => '{}', JSON.stringify({ status: 409, detail: message }))).toEqual([message]);
  });

  it.each([
    ['a name', 'The component web runs.'],
    ['an address', 'The domain 80.gr07c0ff.shop.eu.apps.example is in use.'],
    ['what a cluster says', 'The Deployment of the component was refused: pods "gr07c0ff-1" is forbidden'],
    ['the number of a port', 'Port 8080 is open to the outside.'],
    ['what the request has', 'The alias gr123456 belongs to the component web.'],
  ])('accepts %s in a message', (_, message) => {
    expect(unnamedIn(() => '{"alias":"gr123456"}', JSON.stringify({ errors: [{ message }] }))).toEqual([]);
  });

  it('accepts ids in data', () => {
    expect(unnamedIn(() => '{}', JSON.stringify({ data: { team: { uid: id, name: 'gr07c0ff' } } }))).toEqual(
      [],
    );
  });
});
