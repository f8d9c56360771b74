import { describeManifestProperties } from '../../support/manifest-properties.ts';
import { databaseKind } from '../../support/trellis.ts';

// One after another for each of those that are made at the same time.
describeManifestProperties(databaseKind === 'sqlite' ? 12 : 6);
