import { graphql } from '../api/graphql.ts';
import { ApplicationHead } from './application.ts';
import { lookup } from './query.ts';

/** An application as a manifest, and who applied one last. */
export const ApplicationManifestQuery = lookup('application', 'ApplicationManifest', {
  select: `
    ...ApplicationHead
    team { id mayApply: viewerCan(action: APPLY_MANIFEST) }
    manifest(format: YAML) { document omitted { object component name reason } }
    manifestState { appliedAt appliedBy { id nickName email } }
  `,
  fragments: [ApplicationHead],
});

/** Where a team can have a new application. */
export const NewManifestQuery = lookup('team', 'NewManifest', {
  select: `
    id
    name
    alias
    mayApply: viewerCan(action: APPLY_MANIFEST)
    regions(first: 100, status: ENABLED) { nodes { id name alias } }
  `,
});

export const ManifestPlanParts = graphql(`
  fragment ManifestPlanParts on ManifestPlan @_unmask {
    digest
    changes {
      action
      object
      component
      name
      fields { field before after isSecret }
      isDestructive
      takesEffect
    }
    leftOver { object component name }
    adopted { object component name }
    images { component reference digest note }
    leftStopped
  }
`);

export const PlanManifest = graphql(
  `
  query PlanManifest(
    $team: TeamRef!
    $region: RegionRef!
    $document: String!
    $prune: ManifestPruneMode
    $deploy: ManifestDeployMode
    $startStopped: Boolean
  ) {
    plan: planManifest(
      team: $team
      region: $region
      document: $document
      prune: $prune
      deploy: $deploy
      startStopped: $startStopped
    ) { ...ManifestPlanParts }
  }
`,
  [ManifestPlanParts],
);
