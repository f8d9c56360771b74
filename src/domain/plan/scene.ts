import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { Issue } from '../../kernel/errors.ts';
import { NamesInUse, withoutGateways } from '../component/names/model.ts';
import type { NameOwner } from '../component/names/reads.ts';
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

/** An endpoint of the region that a rule has, and which one that is: `of the application shop on 192.0.2.1:30000`. */
export type UsedEndpoint = Pick<Row<'TcpRule'>, 'id' | 'address' | 'portNumber'> & { which: string };

/** The input of a plan. */
export interface Scene {
  document: ManifestDocument;
  team: Row<'Team'>;
  region: Row<'Region'>;
  /** The namespace of the application; `newNamespace` for one that is new and has its own. */
  namespaceId: number;
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
  /** Whether no manifest is applied: objects keep their owners, and all of them can change. */
  keepsOwners?: boolean;
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
  input: Omit<Scene, 'removed' | 'list' | 'issues' | 'conflicts' | 'failures'>,
): Scene => ({
  ...input,
  removed: new Set(),
  list: new ChangeList(),
  issues: [],
  conflicts: [],
  failures: [],
});

/** The scene of a plan without a document, such as that of a template. Its callers choose the names of new components. */
export const sceneWithin = (
  { actor: { userId } }: Pick<Context, 'actor'>,
  input: Pick<Scene, 'team' | 'region' | 'namespaceId'> &
    Partial<Pick<Scene, 'standing' | 'plainVariables' | 'prune'>>,
): Scene =>
  sceneOf({
    standing: null,
    plainVariables: new Map(),
    prune: 'none',
    ...input,
    document: { application: '' },
    userId,
    taken: { aliases: new Map(), names: new NamesInUse(withoutGateways), ownerOf: () => '' },
    certificates: new Map(),
    outside: new Map(),
    endpoints: [],
    newAlias: () => '',
    hasRuns: true,
    snapshots: { missing: null },
    keepsOwners: true,
  });

export type Ownership = 'own' | 'none' | 'other';

/** Whose an object is. What no manifest applies can change all of them. */
export const ownershipOf = (scene: Scene, row: { manifestId: number | null }): Ownership =>
  scene.keepsOwners
    ? 'own'
    : row.manifestId === null
      ? 'none'
      : row.manifestId === scene.standing?.manifest?.id
        ? 'own'
        : 'other';

/** The name of the installed template that a component belongs to. */
export const templateOf = ({ standing }: Scene, { groupId }: Row<'Component'>): string | null =>
  groupId === null ? null : (standing?.groups.get(groupId) ?? 'a template');
