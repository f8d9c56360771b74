import { maxStreams } from './client.ts';
import { SharedTurns, Shares } from './shares.ts';

/** Streams for logs that are read once, which those that are followed leave. */
const readStreams = 100;

/** The limits of those who look at a cluster, by team and user. */
export class Readers {
  /** The instances whose logs are followed. Each takes a stream. */
  readonly followed = new Shares({ all: maxStreams - readStreams, ofTeam: 100, ofUser: 50 });
  /** The logs that are read once. */
  readonly logs = new SharedTurns({ all: readStreams, ofTeam: 50, ofUser: 25 });
  /** The looks at events, which leave most connections to the work of jobs. */
  readonly events = new SharedTurns({ all: 8, ofTeam: 4, ofUser: 2 });
}
