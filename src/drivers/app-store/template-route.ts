import { z } from 'zod';
import { boundedString, headerName, line, text } from '../../kernel/validate.ts';
import {
  matchedMessage,
  matchedName,
  matchedValue,
  rulePath,
  rulePathMessage,
} from '../region/rule-characters.ts';
import { filled, list, maxIssues, orElse } from './answer.ts';

const maxPairs = 100;
/** The maximum length of joined pairs in a gateway rule. */
const maxJoinedLength = 2048;

/** Converts an object of strings to pairs. */
const pairs = (key: z.ZodType<string>, value: z.ZodType<string>, maxLength: number) =>
  z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((record, ctx) => {
      const entries = Object.entries(record ?? {});
      const items: { key: string; value: string }[] = [];
      if (entries.length > maxPairs) {
        ctx.addIssue({ code: 'custom', message: `Must have at most ${maxPairs} entries` });
        return z.NEVER;
      }
      for (const [name, content] of entries) {
        const result = z.object({ key, value }).safeParse({ key: name, value: content });
        if (result.success) items.push(result.data);
        else if (ctx.issues.length < maxIssues) {
          ctx.addIssue({ code: 'custom', path: [name], message: result.error.issues[0]!.message });
        }
      }
      const length = items.reduce((sum, each) => sum + each.key.length + each.value.length + 2, 0);
      if (length > maxLength) {
        ctx.addIssue({ code: 'custom', message: `Must have at most ${maxLength} characters` });
      }
      return items;
    });

const matched = () =>
  pairs(
    headerName().regex(matchedName, matchedMessage),
    text(1024).regex(matchedValue, matchedMessage),
    maxJoinedLength,
  );

/** The settings of a gateway rule. Null if the template does not set them. */
const figure = (max: number) =>
  z
    .int()
    .min(0)
    .max(max)
    .nullish()
    .transform((value) => value ?? null);

const rewrite = z
  .object({ regex: line(1024), replacement: text(1024), flag: filled(line(64)) })
  .transform((each) => ({ ...each, flag: each.flag ?? '' }));

/** An HTTP route. Its load balancing method is ignored, because rules share requests by weight. */
export const templateRoute = z
  .object({
    component_key: line(511),
    port: z.int().min(1).max(65_535),
    location: orElse(boundedString(1024).regex(rulePath, rulePathMessage), '/'),
    cookies: matched(),
    headers: matched(),
    path_rewrite: orElse(z.boolean(), false),
    rewrites: list(rewrite, maxPairs),
    connection_timeout: figure(3600),
    request_timeout: figure(3600),
    response_timeout: figure(3600),
    request_body_size_limit: figure(1024),
    proxy_buffer_size: figure(1024),
    proxy_buffer_numbers: figure(1024),
    proxy_header: pairs(headerName(), text(4096), maxPairs * 4096),
    // Not part of the protocol: what the rules of a published application have beyond it.
    proxy_buffering: z.boolean().nullish().catch(null),
    weight: z.int().min(1).max(100).nullish().catch(null),
    rule_extensions: z.array(text(512)).max(maxPairs).nullish().catch(null),
  })
  .transform((each) => ({
    componentKey: each.component_key,
    port: each.port,
    path: each.location,
    cookies: each.cookies,
    headers: each.headers,
    pathRewrite: each.path_rewrite,
    rewrites: each.rewrites,
    connectTimeoutSeconds: each.connection_timeout,
    sendTimeoutSeconds: each.request_timeout,
    readTimeoutSeconds: each.response_timeout,
    bodySizeMB: each.request_body_size_limit,
    bufferSizeKB: each.proxy_buffer_size,
    bufferCount: each.proxy_buffer_numbers,
    setHeaders: each.proxy_header,
    isBuffered: each.proxy_buffering ?? null,
    weight: each.weight ?? 100,
    extensions: each.rule_extensions ?? [],
  }));
