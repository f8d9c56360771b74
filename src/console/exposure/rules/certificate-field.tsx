import type { Field } from '../../form/values.ts';
import { Button } from '../../ui/controls.tsx';
import { covers } from '../certificates/covers.ts';
import type { Certificate } from '../certificates/dialogs.tsx';
import { Expiry } from '../certificates/expiry.tsx';
import { text as certificateText } from '../certificates/strings.ts';

const text = certificateText.choice;

/** The shown fields of a certificate that can be chosen. */
export type Choosable = Pick<Certificate, 'id' | 'name' | 'names' | 'expiresAt'>;

interface Options {
  certificates: readonly Choosable[];
  domain: string;
  chosen: string;
  /** Opens the dialog for a new certificate, if the caller may add one. */
  addNew?: () => void;
}

/** The certificates that cover the domain. Those that do not are named below, so that nobody looks for them. */
export function certificateField({ certificates, domain, chosen, addNew }: Options): Partial<Field> {
  const fitting = certificates.filter(({ names }) => covers(names, domain));
  const others = certificates.filter((each) => !fitting.includes(each));
  const current = certificates.find(({ id }) => id === chosen);
  return {
    label: text.label,
    hint: undefined,
    kind: 'select',
    options: [
      { value: '', text: text.none },
      ...fitting.map(({ id, name, names }) => ({ value: id, text: labelOf(name, names) })),
      ...(current && others.includes(current)
        ? [{ value: current.id, text: text.current(current.name) }]
        : []),
    ],
    below: (
      <div className="soft field-notes">
        {current && (
          <p>
            {text.covers(current.names.join(', '))} · <Expiry at={current.expiresAt} />
          </p>
        )}
        {domain === ''
          ? certificates.length > 0 && <p>{text.enterDomain}</p>
          : fitting.length === 0 && <p>{text.noneCovers(domain)}</p>}
        {domain !== '' && others.length > 0 && (
          <p>{text.others(domain, others.map(({ name, names }) => labelOf(name, names)).join('; '))}</p>
        )}
        {addNew && (
          <Button look="small" onClick={addNew}>
            {text.new}
          </Button>
        )}
      </div>
    ),
  };
}

const labelOf = (name: string, names: readonly string[]) =>
  names.length === 1 && names[0] === name ? name : `${name} (${names.join(', ')})`;
