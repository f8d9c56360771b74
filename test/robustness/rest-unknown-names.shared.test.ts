import { unknownNamesOf } from './rest-unknown-names.ts';

unknownNamesOf('reads');
