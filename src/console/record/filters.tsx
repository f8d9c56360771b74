import { strings } from '../strings.ts';
import { Choice } from '../ui/choice.tsx';

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
  const select = (name: keyof Wanted, label: string, all: string, texts: Record<string, string>) => (
    <Choice
      label={label}
      options={Object.keys(texts)}
      texts={texts}
      value={wanted[name]}
      change={(value) => want({ ...wanted, [name]: value || undefined })}
      none={all}
    />
  );
  const people = members.flatMap(({ user }) => (user ? [[user.id, user.nickName]] : []));
  return (
    <search className="row wrap">
      {select('type', text.typeLabel, text.anyType, text.types)}
      {select('user', text.userLabel, text.anyUser, Object.fromEntries(people))}
      {select('span', text.spanLabel, text.anySpan, text.spans)}
    </search>
  );
}
