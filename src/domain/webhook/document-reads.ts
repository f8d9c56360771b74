import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { actionsOfRole, type Role } from '../../kernel/actions.ts';
import { InvalidInputError } from '../../kernel/errors.ts';
import { idOfType } from '../../kernel/global-id.ts';
import { invalid } from '../../kernel/validate.ts';
import type { ServiceAccountRef } from '../service-account/model.ts';
import { serviceAccountById, visibleServiceAccount } from '../service-account/reads.ts';
import { requireGiving } from '../team/reads.ts';
import { parseVariables } from './values-model.ts';

/** The document that a webhook sends instead of the event. */
export type DocumentColumns = Pick<Row<'Webhook'>, 'document' | 'variables' | 'serviceAccountId'>;

/** The fields of inputs that say so. */
export interface DocumentInput {
  document?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
  serviceAccount?: ServiceAccountRef | null | undefined;
}

const none: DocumentColumns = { document: null, variables: null, serviceAccountId: null };

/**
 * The columns that an input asks for, checked. `before` are those of the webhook that it changes: omitted fields stay as they
 * are. What a document returns is sent with the rights of its service account, so the caller must have them as well.
 */
export async function documentColumns(
  context: Context,
  team: Row<'Team'>,
  input: DocumentInput,
  before: DocumentColumns = none,
): Promise<DocumentColumns> {
  const document = input.document === undefined ? before.document : input.document;
  if (document === null) {
    for (const field of ['variables', 'serviceAccount'] as const) {
      if (input[field] != null) throw invalid(['input', field], 'Requires a document');
    }
    return none;
  }
  const account = await accountOf(context, team, input, before);
  const role = account.role as Role;
  requireGiving(context, team, { role, actions: actionsOfRole(role) });
  const variables = input.variables === undefined ? before.variables : storedVariables(input.variables);
  const issues = context.checkDocument?.(document, parseVariables(variables)) ?? [];
  if (issues.length > 0) {
    throw new InvalidInputError(issues.map(({ path, message }) => ({ path: ['input', ...path], message })));
  }
  return { document, variables, serviceAccountId: account.id };
}

const storedVariables = (variables: Record<string, unknown> | null): string | null =>
  variables === null ? null : JSON.stringify(variables);

/** The service account of the team with whose rights a document is executed. */
async function accountOf(
  context: Context,
  team: Row<'Team'>,
  { serviceAccount: ref }: DocumentInput,
  before: DocumentColumns,
): Promise<Row<'ServiceAccount'>> {
  const at = ['input', 'serviceAccount'];
  let account: Row<'ServiceAccount'> | null = null;
  if (ref) {
    const id = ref.serviceAccountId ?? idOfType('ServiceAccount', ref.id ?? '') ?? '';
    account = await visibleServiceAccount(context, id);
    if (account?.teamId !== team.id) throw invalid(at, 'Must be a service account of the team');
  } else if (before.serviceAccountId !== null) {
    account = await serviceAccountById(context, before.serviceAccountId);
  }
  if (!account) throw invalid(at, 'Required with a document');
  return account;
}
