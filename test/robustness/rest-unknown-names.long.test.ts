// On each database what `npm test` does on one.
import './rest-unknown-names.once.test.ts';
