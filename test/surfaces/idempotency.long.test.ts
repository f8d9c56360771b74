// On each database what `npm test` does on one.
import './idempotency.once.test.ts';
