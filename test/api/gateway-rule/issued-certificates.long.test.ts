// On each database what `npm test` does on one.
import './issued-certificates.once.test.ts';
