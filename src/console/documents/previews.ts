import { ApplicationHead } from './application.ts';
import { lookup, page } from './query.ts';

export const ApplicationPreviewsQuery = lookup('application', 'ApplicationPreviews', {
  variables: '$after: String',
  select: `
    ...ApplicationHead
    mayOpen: viewerCan(action: OPEN_PREVIEW)
    mayClose: viewerCan(action: CLOSE_PREVIEW)
    mayUpdate: viewerCan(action: UPDATE_APPLICATION)
    previewSettings { most lifetimeHours components usesOriginals secrets seed { component command } }
    previews(first: 20, after: $after) {
      ${page('uid key state reason urls expiresAt revision images { component image isChanged } application { uid }')}
    }
  `,
  fragments: [ApplicationHead],
});
