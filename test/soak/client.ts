import { Agent } from 'node:http';
import { type Answer, type Sent, send } from '../support/send.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';

export interface Counts {
  requests: number;
  /** Refused for a reason that the load intends or allows. */
  refused: number;
  subscriptions: number;
  items: number;
  milliseconds: number[];
}

const failures = new Set(['INTERNAL', 'UNAVAILABLE', 'STORE_UNAVAILABLE', 'REGION_UNAVAILABLE']);

/** Sends requests, counts them and collects what should not have happened. */
export class Client {
  readonly url: string;
  readonly adminToken: string;
  readonly problems: string[] = [];
  counts!: Counts;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(url: string, adminToken: string) {
    this.url = url;
    this.adminToken = adminToken;
    this.reset();
  }

  reset(): void {
    this.counts = { requests: 0, refused: 0, subscriptions: 0, items: 0, milliseconds: [] };
  }

  problem(text: string): void {
    if (this.problems.length < 20) this.problems.push(text.slice(0, 500));
  }

  /** A request; its answer may refuse it, but no answer may be a failure of the server. */
  async send(sent: Sent): Promise<Answer> {
    const since = performance.now();
    const answer = await send(this, { agent: this.#agent, ...sent });
    this.counts.requests++;
    this.counts.milliseconds.push(performance.now() - since);
    const codes = codesOf(answer.body);
    if (answer.status >= 500 || codes.some((code) => failures.has(code)) || answer.body === undefined) {
      this.problem(`${sent.path ?? ''} ${sent.body ?? ''} was answered with ${answer.status} ${answer.text}`);
    } else if (answer.status >= 400 || codes.length > 0) this.counts.refused++;
    return answer;
  }

  /** The data of a GraphQL operation: of the one field that the operations here have. Undefined if it was refused. */
  async graphql(query: string, variables: object = {}, headers = {}): Promise<any> {
    const { body } = await this.send({ body: JSON.stringify({ query, variables }), headers });
    return body?.data && Object.values<any>(body.data)[0];
  }

  mutate(name: string, input: object, selection = '__typename'): Promise<any> {
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
    return this.graphql(
      `mutation ${title}($input: ${title}Input!) { ${name}(input: $input) {
        __typename ... on ${title}Payload { ${selection} } ... on Error { code } } }`,
      { input },
    );
  }

  /** Sends a request twice with one Idempotency-Key: the second answer must be the first one. */
  async repeat(key: string, sent: Sent): Promise<void> {
    const headers = { ...sent.headers, 'Idempotency-Key': key };
    const first = await this.send({ ...sent, headers });
    const second = await this.send({ ...sent, headers });
    if (second.headers['idempotent-replayed'] !== 'true' || second.text !== first.text) {
      this.problem(`${sent.path ?? ''} was repeated with ${second.text} after ${first.text}`);
    }
  }

  /** Follows the events of a team for some items, or until `ended`. */
  async follow(teamId: string, items: number, ended: AbortSignal): Promise<void> {
    const document = 'subscription Follow($team: TeamRef!) { events(team: $team) { action at objectUid } }';
    const begin = (): Promise<Subscription> => subscribe(this, document, { variables: { team: { teamId } } });
    const subscription = await begin().catch((error) => {
      if (!wasUnused(error)) throw error;
      return begin();
    });
    this.counts.subscriptions++;
    if (subscription.status !== 200) this.problem(`a subscription was answered with ${subscription.status}`);
    const close = () => subscription.close();
    ended.addEventListener('abort', close);
    // Ended while it was subscribing, so that nothing would ever be sent.
    if (ended.aborted) close();
    for (let count = 0; count < items; count++) {
      const item = await subscription.next();
      if (ended.aborted) break;
      if (item?.event !== 'next' || item.data?.errors) {
        this.problem(`a subscription got ${JSON.stringify(item)}`);
        break;
      }
      this.counts.items++;
    }
    ended.removeEventListener('abort', close);
    close();
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * Whether a request was sent on a connection that the server was about to close. `fetch` opens connections in advance, of which
 * the server closes those that are not used for `HEADERS_TIMEOUT_MS`. Browsers ask again by themselves, `fetch` does not.
 */
const wasUnused = ({ cause }: { cause?: { code?: string; socket?: { bytesRead: number } } }): boolean =>
  cause?.code === 'UND_ERR_SOCKET' && cause.socket?.bytesRead === 0;

/** The codes of the errors in an answer of either surface. */
function codesOf(body: any): string[] {
  const top = (body?.errors ?? []).map((error: any) => error.extensions?.code);
  const typed = Object.values<any>(body?.data ?? {}).map((field) => field?.code);
  return [...top, ...typed, ...(body?.data || body?.errors ? [] : [body?.code])].filter(
    (code) => typeof code === 'string',
  );
}
