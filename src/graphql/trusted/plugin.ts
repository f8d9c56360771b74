import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { ForbiddenError, NotFoundError } from '../../kernel/errors.ts';
import { documentIdIn } from '../server/parameters.ts';
import type { TrustedDocuments } from './documents.ts';

/** Which documents are executed: `any`, or only those that are trusted. */
export type AllowedDocuments = 'any' | 'trusted';

/**
 * The plugins that give a request the trusted document that it names and, if only those are allowed, refuse other documents.
 * Administrators of an enterprise can send any, which GraphiQL needs. A trusted document can be sent as a text as well.
 */
export function trustedDocumentPlugins(
  documents: TrustedDocuments,
  allowed: AllowedDocuments,
): Plugin<Context>[] {
  const refusing: Plugin<Context> = {
    onParams({ params, context }) {
      if (!params.query) return;
      const { actor, facts } = context as unknown as Context;
      const trusted = documents.withText(params.query);
      if (facts && trusted) facts.documentId = trusted.id;
      if (!trusted && actor.everywhere === null) {
        throw new ForbiddenError(
          'This gateway only executes trusted documents. Send `documentId` with the id of one instead of `query`.',
        );
      }
    },
  };
  const named = usePersistedOperations<Context>({
    allowArbitraryOperations: true,
    extractPersistedOperationId: (params) => documentIdIn(params) ?? null,
    getPersistedOperation(id, _request, context) {
      const document = documents.find(id);
      if (!document) throw new NotFoundError('trusted document');
      if (context.facts) context.facts.documentId = document.id;
      return document.text;
    },
  });
  return allowed === 'trusted' ? [refusing, named] : [named];
}
