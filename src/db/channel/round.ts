import type { Reads } from '../client.ts';
import type { Reader } from '../query/reader.ts';
import type { Channel } from './channel.ts';

/** The part of the database that feeds use. */
export interface FeedDatabase extends Reader, Reads {
  channel: Channel;
  /** How long the answers of a round may be used, in ms. Who reads later gets the present state. */
  roundMs: number;
}

/**
 * What subscribers read when they are told of the same change. Equal statements of a round are sent once, whoever sends
 * them, so that many subscribers cost the database as much as one. A statement contains whatever its answer depends
 * on, such as the teams that its caller may see.
 */
export class Round {
  readonly #db: FeedDatabase;
  readonly #until: number;
  readonly #shared: FeedDatabase;

  constructor(db: FeedDatabase) {
    this.#db = db;
    this.#until = performance.now() + db.roundMs;
    const answers = new Map<string, Promise<unknown[][]>>();
    this.#shared = Object.create(db) as FeedDatabase;
    this.#shared.query = (text, params) => {
      const key = JSON.stringify([text, params]);
      let answer = answers.get(key);
      if (!answer) {
        answer = db.query(text, params);
        answers.set(key, answer);
      }
      return answer;
    };
  }

  get db(): FeedDatabase {
    return performance.now() < this.#until ? this.#shared : this.#db;
  }
}
