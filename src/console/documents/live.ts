import { graphql } from '../api/graphql.ts';

/** The record of a team as it is written. */
export const TeamEvents = graphql(`
  subscription TeamEvents($team: TeamRef!) {
    events(team: $team) { id action objectType objectUid at }
  }
`);

/** An application after it, a part of it or one of its jobs has changed. */
export const ApplicationChanged = graphql(`
  subscription ApplicationChanged($application: ApplicationRef!) {
    applicationChanged(application: $application) { id revision status updatedAt }
  }
`);

/** A job after it, or the work on one of its components, has changed. */
export const JobChanged = graphql(`
  subscription JobChanged($job: JobRef!) {
    jobChanged(job: $job) { id revision status startedAt endedAt error }
  }
`);

/** What no stream reports: the newest event of teams, and what the clusters of regions report. */
export const LookQuery = graphql(`
  query Look($ids: [ID!]!) {
    nodes(ids: $ids) {
      id
      ... on Team { events(first: 1) { nodes { id } } }
      ... on Region {
        revision
        health
        usage { totalCpuCores usedCpuCores totalMemoryMiB usedMemoryMiB totalDiskGiB usedDiskGiB }
      }
    }
  }
`);
