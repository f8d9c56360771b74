import type { Row } from '../../db/tables.ts';
import { sealedPrefix } from '../../kernel/seal.ts';
import { isSecretName } from '../component/model.ts';
import type { NewVariable } from '../component/variables/many-rows.ts';
import { plainVariablesOf } from '../plan/standing-reads.ts';
import { type Addresses, otherAddress } from './addresses-reads.ts';
import { type Given, variableKey } from './given-reads.ts';
import type { Copied, CopyOptions, CopyReading, Tell } from './scene-reads.ts';

/** The variables of the new components, in their order. Secrets that are encrypted with the present key are copied as they are. */
export async function variablesOf(
  { context }: CopyReading,
  copied: readonly Copied[],
  given: Given,
  { renamed }: Addresses,
  { secrets }: CopyOptions,
  omit: Tell,
): Promise<void> {
  const isKept = ({ isSecret }: Row<'EnvironmentVariable'>) => secrets === 'copy' || !isSecret;
  const plain = await plainVariablesOf(
    context,
    copied.map(({ current }) => ({ variables: current.variables.filter(isKept) })),
  );
  const prefix = sealedPrefix(context.seal.keyIds[0]!);
  for (const { current, work } of copied) {
    const values = new Map((plain.get(current.row.id) ?? []).map(({ id, value }) => [id, value]));
    const left = new Map(given.variables.get(current.row.id));
    const componentId = work.row.id;
    const add = (row: Omit<NewVariable, 'componentId'>) =>
      work.variables.create.push({ componentId, ...row });
    for (const row of [...current.variables].sort((one, other) => one.id - other.id)) {
      const { name, label, scope, isSecret, isChangeable, portNumber, sealedValue } = row;
      const attributes = { name, label, scope, isChangeable, portNumber };
      const own = left.get(variableKey(row));
      left.delete(variableKey(row));
      const value = values.get(row.id);
      if (own) add({ ...attributes, isSecret: own.isSecret ?? isSecret, value: own.value });
      else if (value === undefined) {
        omit({ kind: 'secret', component: work.name, name, reason: 'Secrets are left out.' });
      } else {
        const isAsItIs = sealedValue?.startsWith(prefix);
        const text = isSecret ? value : renamed(value);
        if (text !== value) omit({ kind: 'address', component: work.name, name, reason: otherAddress });
        add({ ...attributes, isSecret, value: text, ...(isAsItIs && { sealedBefore: sealedValue! }) });
      }
    }
    for (const { name, scope, value, isSecret } of left.values()) {
      const attributes = { name, label: name, scope, isChangeable: true, portNumber: null };
      add({ ...attributes, isSecret: isSecret ?? isSecretName(name), value });
    }
  }
}
