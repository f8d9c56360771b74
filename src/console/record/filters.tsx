import { strings } from '../strings.ts';

const text = strings.record;

/** The filter of the record, which is stored in the address. */
export interface Wanted {
  type?: string;
  user?: string;
  span?: string;
}

interface Props {
  wanted: Wanted;
  want(wanted: Wanted): void;
  members: readonly { user: { id: string; nickName: string } | null }[];
}

export function Filters({ wanted, want, members }: Props) {
  const select = (
    name: keyof Wanted,
    label: string,
    all: string,
    options: readonly { value: string; text: string }[],
  ) => (
    <select
      className="input"
      aria-label={label}
      value={wanted[name] ?? ''}
      onChange={(event) => want({ ...wanted, [name]: event.target.value || undefined })}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
  const people = members.flatMap(({ user }) => (user ? [{ value: user.id, text: user.nickName }] : []));
  return (
    <search className="row wrap">
      {select(
        'type',
        text.typeLabel,
        text.anyType,
        Object.entries(text.types).map(([value, text]) => ({ value, text })),
      )}
      {select('user', text.userLabel, text.anyUser, people)}
      {select(
        'span',
        text.spanLabel,
        text.anySpan,
        Object.entries(text.spans).map(([value, text]) => ({ value, text })),
      )}
    </search>
  );
}
