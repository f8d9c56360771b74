import { describeCopyProperties } from '../../support/copy-properties.ts';

describeCopyProperties(8);
