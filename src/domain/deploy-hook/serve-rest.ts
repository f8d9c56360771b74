import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Services } from '../../context.ts';
import { acceptsJson } from '../../http/accept.ts';
import type { Accept } from '../../http/authentication.ts';
import { jsonOf, type ReadBody, strangerBodyBytes, textOf } from '../../http/body.ts';
import { answerOnce } from '../../http/idempotency.ts';
import { isAnyJson, isForm, requireUncompressed } from '../../http/media-type.ts';
import { pathOf, requestIdOf } from '../../http/request.ts';
import { sendText } from '../../http/send.ts';
import type { StoredAnswer } from '../../idempotency/held-keys.ts';
import { isPassing } from '../../idempotency/outcomes.ts';
import { ApiError, MethodNotAllowedError, NotAcceptableError, NotFoundError } from '../../kernel/errors.ts';
import { noteError, type RequestFacts } from '../../kernel/telemetry.ts';
import { invalid, parse } from '../../kernel/validate.ts';
import { problemOf, problemType } from '../../rest/problem.ts';
import { hashToken } from '../access-token/reads.ts';
import { outcomeOf } from '../job/reads.ts';
import { deployHookCredentials, deployHooksById } from './accepted-operations.ts';
import { deployByHook } from './deploy-operations.ts';
import { deployRequest } from './model.ts';
import { hookIn } from './path-model.ts';
import { type HookRequest, readNotification } from './registry-model.ts';

/** The most keys in a body. What registries send is larger than the own JSON of deploy hooks. */
const maxKeys = 2_000;

export interface DeployHookOptions {
  accept: Accept;
  readBody: ReadBody;
  /** How exactly the last use is stored. */
  useEveryMs: number;
}

/** The content of a request, or the event of a registry in it. A request without a body asks for no other image. */
async function requestIn(
  req: IncomingMessage,
  res: ServerResponse,
  readBody: ReadBody,
): Promise<HookRequest> {
  const body = await readBody(req, res, strangerBodyBytes);
  if (body.length === 0) return {};
  const { headers } = req;
  const type = headers['content-type'];
  if (!isForm(type) && !isAnyJson(type)) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be application/json or, from GitHub, application/x-www-form-urlencoded.',
    );
  }
  requireUncompressed(headers);
  const json = jsonOf(isForm(type) ? payloadIn(body) : body, maxKeys);
  return readNotification(json, headers['x-github-event'] !== undefined) ?? parse(deployRequest, json);
}

/** The JSON in a form, as GitHub sends it. */
function payloadIn(body: Buffer): Buffer {
  const payload = new URLSearchParams(textOf(body)).get('payload');
  if (payload === null) throw invalid(['payload'], 'Must be JSON, in a form');
  return Buffer.from(payload);
}

/** The answer to a deploy. The job is null if the region had nothing to carry out, or if nothing was deployed. */
async function deployed(context: Context, request: HookRequest): Promise<StoredAnswer> {
  const deploy = () => deployByHook(context, request);
  const { idempotency } = context;
  const made = idempotency ? idempotency.once('', context, deploy) : deploy();
  const { component, job, reason } = await (context.budget ? context.budget.race(made) : made);
  const body = JSON.stringify({
    job: job && { id: job.id, status: job.status.toUpperCase() },
    image: component.image,
    ...(reason === null ? await outcomeOf(context, job, component.id) : { outcome: 'UNCHANGED', reason }),
  });
  return { status: reason === null ? 202 : 200, mediaType: 'application/json; charset=utf-8', body };
}

/**
 * Serves the URLs of deploy hooks. An unknown id and a wrong secret are both NOT_FOUND, and count as failed authentications of
 * the address.
 */
export function createDeployHooks(services: Pick<Services, 'db'>, options: DeployHookOptions) {
  const { accept, readBody, useEveryMs } = options;
  const looked = { ...services, hooks: deployHooksById(services) };

  const contextFor = (req: IncomingMessage, res: ServerResponse, facts: RequestFacts) => {
    // A path of another form is looked up as well, so that it counts as a refusal.
    const { id, secret } = hookIn(pathOf(req)) ?? { id: '', secret: '' };
    const credentials = deployHookCredentials(looked, id, hashToken(secret), useEveryMs);
    return accept(req, res, facts, { credentials, secret, refusal: () => new NotFoundError('deploy hook') });
  };

  return async (req: IncomingMessage, res: ServerResponse, facts: RequestFacts): Promise<void> => {
    if (req.method !== 'POST') throw new MethodNotAllowedError('POST');
    if (!acceptsJson(req.headers.accept)) throw new NotAcceptableError('application/json');
    facts.operationName = 'deployHook';
    const context = await contextFor(req, res, facts);
    const request = await requestIn(req, res, readBody);
    const { idempotency } = context;
    if (!idempotency) return send(res, await deployed(context, request));
    const make = async () => {
      try {
        return await deployed(context, request);
      } catch (error) {
        if (!(error instanceof ApiError) || isPassing(error.code)) throw error;
        noteError(facts, error);
        const body = JSON.stringify(problemOf(error, requestIdOf(res)));
        return { status: error.status, mediaType: problemType, body };
      }
    };
    try {
      await idempotency.begin({ operation: 'deployHook', request });
      send(res, await answerOnce(res, idempotency, idempotency.stored ?? (await make())));
    } finally {
      await idempotency.end();
    }
  };
}

const send = (res: ServerResponse, { status, mediaType, body }: StoredAnswer): void =>
  sendText(res, status, { 'Content-Type': mediaType, 'Cache-Control': 'no-store' }, body);
