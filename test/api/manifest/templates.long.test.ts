import { describeManifestsOfTemplates, templates } from '../../support/manifests-of-templates.ts';

describeManifestsOfTemplates(templates);
