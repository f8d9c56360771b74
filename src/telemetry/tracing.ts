import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Services } from '../context.ts';
import { errorStatus } from '../kernel/error-codes.ts';
import type { Log } from '../kernel/log.ts';
import type {
  ArrivedRequest,
  EndedRequest,
  MeasuredDetails,
  MeasuredKind,
  OperationFacts,
} from '../kernel/telemetry.ts';
import type { ProcessTelemetry } from './process-telemetry.ts';

/** How long a stop waits until the last spans are sent. */
const flushMs = 2_000;

/** The longest text of a statement in a span. */
const maxStatement = 2_000;

const kinds: Record<MeasuredKind, SpanKind> = {
  operation: SpanKind.INTERNAL,
  batch: SpanKind.INTERNAL,
  transaction: SpanKind.INTERNAL,
  read: SpanKind.CLIENT,
  write: SpanKind.CLIENT,
  store: SpanKind.CLIENT,
  driver: SpanKind.CLIENT,
};

/** Traces of requests and of what is done for them, sent to an OpenTelemetry collector. */
export class Tracing implements ProcessTelemetry {
  readonly #provider: NodeTracerProvider;
  readonly #tracer: Tracer;
  #database = 'other_sql';

  /** The settings are those of OpenTelemetry, which its packages read from the environment. */
  constructor(log: Log) {
    const warn = (message: string) => log.warn({ detail: message }, 'traces cannot be sent');
    const ignore = () => {};
    const logger = { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    this.#provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'trellis' }).merge(
        detectResources({ detectors: [envDetector] }),
      ),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    // Also for plugins, which find the current span through the API of OpenTelemetry.
    this.#provider.register();
    this.#tracer = this.#provider.getTracer('trellis');
  }

  request({ surface, method, path, requestId, headers, facts }: ArrivedRequest, answer: () => void) {
    // Probes are frequent, and nobody looks at their traces.
    if (surface === 'probe') {
      answer();
      return () => {};
    }
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const attributes = {
      'http.request.method': method,
      'url.path': path,
      'trellis.surface': surface,
      'trellis.request_id': requestId,
    };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    facts.traceId = span.spanContext().traceId;
    context.with(trace.setSpan(parent, span), answer);
    return ({ status, isAnswered }: EndedRequest) => {
      const { operationName, errorCodes = [] } = facts;
      span.updateName(`${method} ${surface === 'rest' && operationName ? operationName : surface}`);
      span.setAttributes({ 'http.response.status_code': status, ...graphqlAttributes(facts) });
      if (errorCodes.length > 0) span.setAttribute('error.type', errorCodes.join(','));
      if (!isAnswered) span.setAttribute('trellis.aborted', true);
      if (status >= 500 || errorCodes.some((code) => errorStatus[code] >= 500)) {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  }

  /**
   * Work that is not part of a request leaves no trace, such as looking for due jobs, except for calls to clusters. That
   * includes work that a request has started and that goes on after its end.
   */
  measure<T>(
    kind: MeasuredKind,
    name: string,
    work: () => Promise<T>,
    details?: MeasuredDetails,
  ): Promise<T> {
    const isInRequest = trace.getActiveSpan()?.isRecording() ?? false;
    if (!isInRequest && kind !== 'driver') return work();
    const options = { kind: kinds[kind], attributes: this.#attributesOf(kind, name, details) };
    const parent = isInRequest ? context.active() : ROOT_CONTEXT;
    const span = this.#tracer.startSpan(spanName(kind, name), options, parent);
    return context.with(trace.setSpan(parent, span), () => ended(span, work));
  }

  outgoingHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    return headers;
  }

  watch({ db }: Pick<Services, 'db'>): void {
    this.#database = db.dialect.kind === 'postgres' ? 'postgresql' : 'sqlite';
  }

  async close(): Promise<void> {
    await Promise.race([
      this.#provider.shutdown().catch(() => {}),
      sleep(flushMs, undefined, { ref: false }),
    ]);
  }

  #attributesOf(kind: MeasuredKind, name: string, details: MeasuredDetails = {}): Attributes {
    if (kind === 'batch') return { 'trellis.batch.keys': details.keys };
    if (kind === 'operation') return graphqlAttributes(details);
    if (kind !== 'read' && kind !== 'write') return {};
    return { 'db.system.name': this.#database, 'db.query.text': name.slice(0, maxStatement) };
  }
}

/** @see https://opentelemetry.io/docs/specs/semconv/graphql/graphql-spans/ */
const graphqlAttributes = ({ operationName, operationType, documentId }: OperationFacts): Attributes =>
  operationType === undefined
    ? {}
    : {
        'graphql.operation.name': operationName,
        'graphql.operation.type': operationType,
        'graphql.document.id': documentId,
      };

const spanName = (kind: MeasuredKind, name: string): string => {
  if (kind === 'read' || kind === 'write') return /^\w+/.exec(name)?.[0] ?? 'statement';
  return kind === 'operation' || kind === 'transaction' ? name : `${kind} ${name}`;
};

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Without the message, which can quote values.
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', (error as { code?: unknown })?.code?.toString() ?? 'error');
    throw error;
  } finally {
    span.end();
  }
}
