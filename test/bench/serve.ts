// What both limits have around their statements: node:http, the check of one token, and JSON in and out.
import { createServer } from 'node:http';

export function serve(answer: (key: string, body: any) => string | Promise<string>): void {
  const authorization = `Bearer ${process.env.TOKEN}`;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', async () => {
      try {
        if (req.headers.authorization !== authorization) return void res.writeHead(401).end();
        const body = Buffer.from(await answer(req.url!.slice(1), JSON.parse(String(Buffer.concat(chunks)))));
        res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
      } catch (error) {
        res.writeHead(500).end(String(error));
      }
    });
  });
  server.listen(Number(process.env.PORT), process.env.HOST);
  process.once('SIGTERM', () => process.exit(0));
}
