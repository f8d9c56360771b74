import type { Action } from '../../act/action.ts';
import { dialogOf } from '../../act/dialog.tsx';
import { Address } from '../../ui/address.tsx';
import { Notice } from '../../ui/blocks.tsx';
import { DatabaseWarning } from '../database-warning.tsx';
import { type AddressedRegion, LeadsNowhere } from '../nowhere.tsx';
import { text } from './strings.ts';

interface Payload {
  rule: { accessUrl: string; isPublished: boolean; region: AddressedRegion };
}

/** The address of a rule that was added or changed. */
function RuleDone({ payload }: { payload: unknown }) {
  const { accessUrl, isPublished, region } = (payload as Payload).rule;
  if (!isPublished) return <Notice tone="idle">{text.unpublished}</Notice>;
  return (
    <Notice tone="good">
      {text.saved} <Address address={accessUrl} />
      <LeadsNowhere region={region} />
    </Notice>
  );
}

/** The input of the mutations that create or change rules. */
type RuleInput = { [field: string]: unknown };

/** The parts of a dialog that differ between creating and changing a rule. */
export interface RuleChange {
  title: string;
  label: string;
  /** The global id of the team. */
  team: string;
  /** The references of the input: to the port of a new rule, or to the rule. */
  input: RuleInput;
  /** Whether the port of a new rule is open to the outside. */
  isOuter?: boolean;
  /** The database that becomes reachable for everybody, if the port belongs to one. */
  database?: string;
}

/** The properties of a dialog for rules of one kind. */
export interface RuleDialogProps<Rule> {
  of: RuleChange;
  /** The rule that is changed. */
  rule?: Rule;
  draft: string;
  close(): void;
}

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

type RuleAction = Action<'createHttpRule' | 'updateHttpRule'> | Action<'createTcpRule' | 'updateTcpRule'>;

interface Props extends Pick<RuleDialogProps<never>, 'of' | 'draft' | 'close'> {
  action: Without<RuleAction, 'label' | 'title' | 'plan'>;
}

/** Adds or changes a rule of either kind. */
export const RuleDialog = ({ of, action, draft, close }: Props) =>
  dialogOf(close, {
    // The dialog is the same for either kind.
    ...(action as Action<'createTcpRule'>),
    draft,
    label: of.label,
    title: of.title,
    plan: 'live',
    summary: () => <DatabaseWarning of={of.database} />,
    result: (payload) => <RuleDone payload={payload} />,
  });
