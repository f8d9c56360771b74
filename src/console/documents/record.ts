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
    objectName
    summary
    requestId
    tokenId
    sessionId
    actorName
    accessToken { id name }
    component { id name }
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
      ... on User { userUid: uid }
    }
  }
`);

/** The people and applications by which the record of a team can be filtered. */
const RecordTeam = graphql(`
  fragment RecordTeam on Team @_unmask {
    id
    alias
    members(first: 100) { nodes { id user { id nickName } } }
    applications(first: 100) { nodes { id appUid: uid name } }
  }
`);

const filter =
  '$first: Int!, $after: String, $action: String, $objectType: String, $user: UserRef, $since: DateTime, $until: DateTime';
const events = `
  events(first: $first, after: $after, action: $action, objectType: $objectType, user: $user, since: $since, until: $until) {
    pageInfo { endCursor hasNextPage }
    nodes { ...EventRow }
  }
` as const;

// The records of objects, newest first, with what was done to their parts.

export const TeamRecordQuery = graphql(
  `query TeamRecord($by: TeamRef!, ${filter}) { place: team(by: $by) { ...RecordTeam ${events} } }`,
  [EventRow, RecordTeam],
);

export const ApplicationRecordQuery = graphql(
  `query ApplicationRecord($by: ApplicationRef!, ${filter}) {
    place: application(by: $by) { id team { ...RecordTeam } ${events} }
  }`,
  [EventRow, RecordTeam],
);

export const ComponentRecordQuery = graphql(
  `query ComponentRecord($by: ComponentRef!, ${filter}) {
    place: component(by: $by) { id team { ...RecordTeam } ${events} }
  }`,
  [EventRow, RecordTeam],
);

/** For administrators: with what belongs to no team, such as users, roles and refused sign-ins. */
export const EnterpriseRecordQuery = graphql(
  `query EnterpriseRecord(${filter}) { users(first: 100) { nodes { id nickName } } ${events} }`,
  [EventRow],
);
