import { describeManifestsOfTemplates, templates } from '../../support/manifests-of-templates.ts';

// One version of each application. templates.long.test.ts has every version.
describeManifestsOfTemplates([...new Map(templates.map((each) => [each[0], each])).values()]);
