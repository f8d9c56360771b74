// On each database what `npm test` does on one.
import './rest-equals-graphql-changes.once.test.ts';
