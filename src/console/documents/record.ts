import { graphql } from '../api/graphql.ts';
import { ApplicationHead } from './application.ts';
import { lookup } from './query.ts';

/** The head of an application alone. */
export const ApplicationHeadQuery = lookup('application', 'ApplicationHead', {
  select: '...ApplicationHead',
  fragments: [ApplicationHead],
});

const EventRow = graphql(`
  fragment EventRow on Event @_unmask {
    id
    at
    action
    objectType
    summary
    requestId
    tokenId
    sessionId
    manifest
    actor {
      __typename
      ... on User { id nickName }
      ... on ServiceAccount { id name }
    }
    accessToken { id name }
    changes { field oldValue newValue }
    object {
      __typename
      id
      ... on Application { appUid: uid }
      ... on Component { uid }
      ... on Port { number component { id uid } }
      ... on Job { jobUid: uid }
      ... on Region { name }
      ... on Team { name }
    }
  }
`);

/** The people by whom a record can be filtered. */
const Members = graphql(`
  fragment Members on Team @_unmask { members(first: 100) { nodes { id user { id nickName } } } }
`);

const filter =
  '$action: String, $objectType: String, $user: UserRef, $since: DateTime, $until: DateTime, $after: String';
const events = `
  events(first: 50, after: $after, action: $action, objectType: $objectType, user: $user, since: $since, until: $until) {
    pageInfo { endCursor hasNextPage }
    nodes { ...EventRow }
  }
` as const;

// The records of objects, newest first, with what was done to their parts.

export const TeamRecordQuery = graphql(
  `query TeamRecord($by: TeamRef!, ${filter}) { place: team(by: $by) { id alias ...Members ${events} } }`,
  [EventRow, Members],
);

export const ApplicationRecordQuery = graphql(
  `query ApplicationRecord($by: ApplicationRef!, ${filter}) {
    place: application(by: $by) { id team { id ...Members } ${events} }
  }`,
  [EventRow, Members],
);

export const ComponentRecordQuery = graphql(
  `query ComponentRecord($by: ComponentRef!, ${filter}) {
    place: component(by: $by) { id team { id ...Members } ${events} }
  }`,
  [EventRow, Members],
);
