import { useId } from 'react';
import { chosenOf, type Option, type Value } from './values.ts';

interface Props {
  id: string;
  options: readonly Option[];
  value: Value;
  change(value: Value): void;
}

/** Boxes, of which any number can be checked. Those of a group can be checked at once. */
export function Choices({ id, options, value, change }: Props) {
  const chosen = new Set(chosenOf(value));
  const set = (values: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const each of values) isChosen ? next.add(each) : next.delete(each);
    change([...next].map((each) => ({ value: each })));
  };
  const groups = [...new Set(options.map(({ group }) => group))];
  return (
    <div className="choices">
      {groups.map((group) => {
        const members = options.filter((option) => option.group === group);
        const boxes = members.map((option) => (
          <Box
            key={option.value}
            id={`${id}-${option.value}`}
            text={option.text}
            isChecked={chosen.has(option.value)}
            check={(isChosen) => set([option.value], isChosen)}
          />
        ));
        if (group === undefined) return boxes;
        const count = members.filter((option) => chosen.has(option.value)).length;
        return (
          <Group
            key={group}
            title={group}
            count={count}
            total={members.length}
            check={(isChosen) =>
              set(
                members.map((option) => option.value),
                isChosen,
              )
            }
          >
            {boxes}
          </Group>
        );
      })}
    </div>
  );
}

function Group({ title, count, total, check, children }: GroupProps) {
  const id = useId();
  const isAll = count === total;
  return (
    <fieldset className="choices-group" aria-labelledby={id}>
      <label className="check" id={id}>
        <input
          ref={(input) => {
            if (input) input.indeterminate = count > 0 && !isAll;
          }}
          type="checkbox"
          checked={isAll}
          onChange={() => check(!isAll)}
        />
        {title}
      </label>
      <div className="choices-members">{children}</div>
    </fieldset>
  );
}
interface GroupProps {
  title: string;
  count: number;
  total: number;
  check(isChosen: boolean): void;
  children: React.ReactNode;
}

function Box({ id, text, isChecked, check }: BoxProps) {
  return (
    <label className="check" htmlFor={id}>
      <input id={id} type="checkbox" checked={isChecked} onChange={(event) => check(event.target.checked)} />
      {text}
    </label>
  );
}
interface BoxProps {
  id: string;
  text: string;
  isChecked: boolean;
  check(isChecked: boolean): void;
}
