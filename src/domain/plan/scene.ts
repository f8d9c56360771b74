import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Issue } from '../../kernel/errors.ts';
import type { NamesInUse } from '../component/names/model.ts';
import type { NameOwner } from '../component/names/reads.ts';
import { newAlias } from '../component/operations.ts';
import type { PlainVariable } from '../component/variables/reads.ts';
import { ChangeList } from './change-list.ts';
import type { ManifestDocument } from './document-model.ts';
import type { PruneMode } from './model.ts';
import type { Standing } from './standing-reads.ts';

/** A problem of a document. `isKey` if its place is that of the key instead of the value. */
export interface DocumentIssue extends Issue {
  isKey?: boolean;
}

/** Names that others in the team and region use. */
interface Taken {
  /** With who uses them. */
  aliases: ReadonlyMap<string, string>;
  /** The names in the cluster, except for the service names of components of the application. */
  names: NamesInUse<NameOwner | null>;
  /** Whose a name is, for messages. */
  ownerOf(owner: NameOwner | null): string;
}

export type KnownCertificate = Pick<Row<'Certificate'>, 'id' | 'name' | 'names' | 'revision'>;

/** An endpoint of the region that a rule has, and whose it is: `the application shop`. */
export type UsedEndpoint = Pick<Row<'TcpRule'>, 'id' | 'address' | 'portNumber'> & { owner: string };

/** The input of a plan. */
export interface Scene {
  document: ManifestDocument;
  team: Row<'Team'>;
  region: Row<'Region'>;
  userId: number | null;
  standing: Standing | null;
  /** The components of the application with their variables decrypted. */
  plainVariables: ReadonlyMap<string, PlainVariable[]>;
  prune: PruneMode;
  taken: Taken;
  certificates: ReadonlyMap<string, KnownCertificate>;
  /** The components of other applications that the document names, by `application/component`. */
  outside: ReadonlyMap<string, string>;
  endpoints: readonly UsedEndpoint[];
  newAlias(): string;
  /** Whether the region has a cluster that runs commands. */
  hasRuns: boolean;
  /** The reason why the region cannot make snapshots, or the error of the cluster that was asked. */
  snapshots: { missing: string | null } | { failure: unknown };
  /** Whether the plan is a rollback: objects get their earlier owners back, and all of them can change. */
  isRestore?: boolean;
  /** The ids of the components that are deleted. */
  removed: Set<string>;
  list: ChangeList;
  issues: DocumentIssue[];
  /** Names and places that others have, and changes that the state does not allow, as whole sentences. */
  conflicts: DocumentIssue[];
  /** The errors of what was asked before the plan, and is needed for it. */
  failures: unknown[];
}

/** A scene of which nothing is planned yet. */
export const sceneOf = (
  given: Omit<Scene, 'removed' | 'list' | 'issues' | 'conflicts' | 'failures'>,
): Scene => ({
  ...given,
  removed: new Set(),
  list: new ChangeList(),
  issues: [],
  conflicts: [],
  failures: [],
});

/** Makes aliases that nobody uses. */
export function aliasesFor(
  { newAlias: make = newAlias }: Pick<Context, 'newAlias'>,
  aliases: ReadonlyMap<string, unknown>,
): () => string {
  const made = new Set<string>();
  return () => {
    for (;;) {
      const alias = make();
      if (aliases.has(alias) || made.has(alias)) continue;
      made.add(alias);
      return alias;
    }
  };
}

export type Ownership = 'own' | 'none' | 'other';

/** Whose an object is. A rollback can change all of them. */
export const ownershipOf = (scene: Scene, row: { manifestId: number | null }): Ownership =>
  scene.isRestore
    ? 'own'
    : row.manifestId === null
      ? 'none'
      : row.manifestId === scene.standing?.manifest?.id
        ? 'own'
        : 'other';

/** The name of the installed template that a component belongs to. */
export const templateOf = ({ standing }: Scene, { groupId }: Row<'Component'>): string | null =>
  groupId === null ? null : (standing?.groups.get(groupId) ?? 'a template');
