import { administrator, isAllowed, type User } from './api/access.ts';
import { type Kind, kindNamed } from './api/kinds.ts';
import { PodLogs, type Stream } from './api/logs.ts';
import { type Measured, measurePods } from './api/pod-metrics.ts';
import { representationOf } from './api/representations.ts';
import { isWatch, type Matched, match, parsed, type Request, type Route } from './api/requests.ts';
import { type Answer, Failure, failure, forbidden, notFound, unknownPath } from './api/status.ts';
import { Store } from './api/store.ts';
import { carryOut } from './api/verbs.ts';
import { watchOf } from './api/watches.ts';
import type { Load } from './controllers/autoscalers.ts';
import { type ControllerOptions, runControllers } from './controllers/controllers.ts';
import { programOf } from './controllers/programs.ts';

export interface ClusterOptions extends Partial<ControllerOptions> {
  hasGatewayApi?: boolean;
  hasMetrics?: boolean;
  /** The pause between two steps of the controllers. Without one, they do not run. */
  stepMs?: number;
  /** How long a second is for the controllers. */
  secondMs?: number;
}

/** An API server with its controllers, in memory. */
export class Cluster {
  readonly store = new Store();
  readonly logs = new PodLogs();
  /** By token. */
  readonly users = new Map<string, User>([['admin', administrator]]);
  /** Asked before each request: an answer that is returned is sent instead. */
  fault: ((request: Request, user: string) => Answer | undefined) | undefined;
  /** Every request so far, for assertions on what was sent. */
  readonly log: { method: string; path: string; status: number }[] = [];
  /** The load of Deployments, by their names. */
  readonly loads = new Map<string, Load>();
  /** What was applied last, by path. */
  readonly applied = new Map<string, any>();
  /** What the containers of pods use, by the name of the pod. */
  readonly usage = new Map<string, Measured>();
  /** The images whose programs start, whatever their tags say. */
  readonly #starting = new Set<string>();
  readonly #options: ClusterOptions;
  readonly #controllers: ControllerOptions;
  readonly #streams = new Set<() => void>();
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #waking: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ClusterOptions = {}) {
    this.#options = options;
    this.#controllers = {
      hasKubelet: true,
      hasProvisioner: true,
      loadOf: ({ metadata: { name } }) => this.loads.get(name),
      ...options,
      write: ({ metadata }, text) => void this.logs.write(metadata, text),
      programOf: (image) => (this.#starting.has(image) ? {} : (options.programOf ?? programOf)(image)),
    };
    this.store.put('Namespace', { metadata: { name: 'default' } });
    this.store.put('Namespace', { metadata: { name: 'kube-system' } });
    for (const name of ['node1', 'node2']) {
      const allocatable = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' };
      this.store.put('Node', { metadata: { name }, status: { allocatable, capacity: allocatable } });
      if (!options.hasMetrics) continue;
      this.store.put('NodeMetrics', { metadata: { name }, usage: { cpu: '500m', memory: '1Gi' } });
    }
    this.store.onChange = () => this.#schedule();
    this.#schedule();
  }

  /** Lets the controllers take a step, after a change or when something has waited long enough. */
  #schedule(): void {
    const { stepMs, secondMs = 10 } = this.#options;
    if (stepMs === undefined || this.#timer || this.#isStopped) return;
    // Waits on time: controllers of a cluster act a moment after a change.
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      clearTimeout(this.#waking);
      const seconds = (performance.now() - this.#startedAt) / secondMs;
      for (let left = 20; left > 0 && !this.store.clock.moveTowards(seconds); left--) this.step();
      this.step();
      const { next } = this.store.clock;
      if (this.#timer || next === undefined) return;
      const dueMs = this.#startedAt + next * secondMs - performance.now();
      // Waits on time: the next thing is due at a time of the cluster's clock.
      this.#waking = setTimeout(() => this.#schedule(), Math.max(0, dueMs - stepMs));
    }, stepMs);
  }

  step(): void {
    runControllers(this.store, this.#controllers);
  }

  /** Steps until nothing changes any more. */
  settle(): void {
    for (let left = 200, seen = -1; left > 0 && seen !== this.store.version; left--) {
      seen = this.store.version;
      this.step();
    }
  }

  /** Lets as many seconds pass, for a cluster whose controllers do not run by themselves. */
  pass(seconds: number): void {
    const { clock } = this.store;
    const until = clock.now + seconds;
    this.settle();
    while (!clock.moveTowards(until)) this.settle();
    this.settle();
  }

  /** Lets nodes start an image from now on that they refuse. */
  start(image: string): void {
    this.#starting.add(image);
    const pods = kindNamed('Pod');
    for (const { metadata } of this.store.all(pods)) this.store.relations.again(pods, metadata.uid);
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#waking);
    this.store.onChange = () => {};
    this.dropWatches();
  }

  /** Ends every watch without an event. */
  dropWatches(): void {
    for (const end of [...this.#streams]) end();
  }

  /** Restarts the server: watches end, and versions from before are too old. */
  restart(): void {
    this.store.compact();
    this.dropWatches();
  }

  readonly #isServed = ({ group }: Kind) => {
    if (group === 'gateway.networking.k8s.io') return this.#options.hasGatewayApi ?? true;
    if (group === 'cert-manager.io') return this.#options.issuers !== undefined;
    if (group === 'snapshot.storage.k8s.io') return this.#options.hasSnapshots ?? false;
    return group !== 'metrics.k8s.io' || (this.#options.hasMetrics ?? false);
  };

  handle(request: Request, token: string | undefined): Answer | Stream {
    const answer = this.#answer(request, token);
    const isApply = request.method === 'PATCH' && request.contentType?.startsWith('application/apply-patch');
    if (isApply && 'status' in answer && answer.status < 300) {
      this.applied.set(request.path.split('?')[0]!, parsed(request));
    }
    this.log.push({
      method: request.method,
      path: request.path,
      status: 'start' in answer ? 200 : answer.status,
    });
    return answer;
  }

  #answer(request: Request, token: string | undefined): Answer | Stream {
    try {
      const user = token === undefined ? { name: 'system:anonymous', rules: [] } : this.users.get(token);
      const fault = this.fault?.(request, user?.name ?? '');
      if (fault) return fault;
      if (!user) throw failure(401, 'Unauthorized', 'Unauthorized');
      if (typeof request.body === 'string' && request.body.length > 3_145_728) {
        throw failure(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728');
      }
      const found = match(request, user, this.#isServed);
      if ('status' in found) return found;
      if (!this.#isServed(found.kind)) throw unknownPath();
      if (request.method === 'GET' && isWatch(found.query) && !found.name) {
        return watchOf(this.store, this.#streams, found, representationOf(request.accept));
      }
      if (request.method === 'GET' && found.kind.kind === 'Pod' && found.subresource === 'log') {
        return this.#log(found);
      }
      if (found.kind.kind === 'PodMetrics') measurePods(this.store, this.usage);
      this.#requireCreate(request, user, found);
      return carryOut(this.store, request, found);
    } catch (error) {
      if (error instanceof Failure) return error.answer;
      throw error;
    }
  }

  #log({ kind, namespace, name, query }: Matched): Answer | Stream {
    const pod = this.store.get(kind, namespace, name!);
    if (!pod) throw notFound(kind, name!);
    const answer = this.logs.read(this.store, pod.object, query);
    return 'start' in answer ? this.#tracked(answer) : answer;
  }

  /** A stream that ends when the server stops. */
  #tracked({ start }: Stream): Stream {
    return {
      start: (tell, end) => {
        const stop = start(tell, () => {
          this.#streams.delete(finish);
          end();
        });
        const finish = () => stop();
        this.#streams.add(finish);
        return finish;
      },
    };
  }

  /** An apply that would create something needs that right as well. */
  #requireCreate(
    { method, contentType }: Request,
    user: User,
    { kind, namespace, name, subresource }: Route,
  ): void {
    const isApply = method === 'PATCH' && contentType?.startsWith('application/apply-patch') && !subresource;
    if (!isApply || this.store.get(kind, namespace, name!)) return;
    const attempt = { verb: 'create', group: kind.group, resource: kind.plural, namespace };
    if (!isAllowed(user, attempt)) throw forbidden(kind, name!, '');
  }
}
