import { useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from '../ui/controls.tsx';
import { Tag } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';

const text = strings.component;

interface Variable {
  id: string;
  name: string;
  scope: 'CONNECTION' | 'ENVIRONMENT';
  value: string | null;
  isSecret: boolean;
  isDerived: boolean;
  isChangeable: boolean;
}

export function VariableTable({ variables }: { variables: readonly Variable[] }) {
  return (
    <Table
      label={text.variables}
      columns={text.variableColumns}
      empty={text.noVariables}
      rows={variables}
      classes={{ name: 'mono' }}
      cells={(variable) => ({
        name: variable.name,
        value: <Value {...variable} />,
        scope: (
          <span className="row">
            <span className="soft">{text.scopes[variable.scope]}</span>
            {variable.isDerived && <Tag>{text.derived}</Tag>}
            {!variable.isChangeable && !variable.isDerived && <Tag>{text.fixed}</Tag>}
          </span>
        ),
      })}
    />
  );
}

/** A value; that of a secret only when it is asked for. */
function Value({ name, value, isSecret }: Variable) {
  const [isShown, setShown] = useState(false);
  if (!isSecret) return <code className="break">{value}</code>;
  if (value === null) return <span className="soft">{text.hiddenFromYou}</span>;
  return (
    <span className="row">
      {isShown ? <code className="break">{value}</code> : <span aria-hidden="true">••••••••</span>}
      <Button
        look="quiet small"
        aria-label={`${isShown ? strings.common.hide : strings.common.show} ${name}`}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? strings.common.hide : strings.common.show}
      </Button>
    </span>
  );
}
