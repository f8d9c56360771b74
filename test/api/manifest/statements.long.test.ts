// On each database what `npm test` does on one.
import './statements.once.test.ts';
