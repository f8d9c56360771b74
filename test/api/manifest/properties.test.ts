import { describeManifestProperties } from '../../support/manifest-properties.ts';

describeManifestProperties(6);
