// Requests to begin with. Each is written out as it goes over the wire; nothing in them is anybody's.

import { type Bytes, read } from "./bytes.ts";
import type { TextKey } from "./i18n/index.ts";

/** A request to look at, or two to compare. */
export interface Example {
  readonly id: string;
  readonly title: TextKey;
  readonly first: Bytes;
  readonly second?: Bytes;
}

/** The bytes of a request that is written out; line ends of the source are layout. */
const request = ({ raw }: TemplateStringsArray): Bytes => read(raw.join(""), "escapes").bytes;

const spelledPlainly = request`
GET /tienda/caf%C3%A9?id=7&color=rojo HTTP/1.1\r\n
Host: shop.example.com\r\n
User-Agent: curl/8.5.0\r\n
Accept-Language: es,en;q=0.5\r\n
Cookie: theme=dark; lang=es\r\n
\r\n`;

/** All of them; the first is what the page begins with. */
export const EXAMPLES: readonly Example[] = [
  {
    id: "injection",
    title: "example.injection",
    first: request`
GET /products?category=books&id=42%2527%2520UNION%2520SELECT%2520login,pwd%2520FROM%2520users--%2520&q=%27%20OR%201=1--%20 HTTP/1.1\r\n
Host: shop.example.com\r\n
User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n
Accept: text/html\r\n
X-Forwarded-For: 203.0.113.7, 10.0.0.12\r\n
\r\n`,
  },
  {
    id: "login",
    title: "example.login",
    first: request`
POST /cuenta//login?next=%2Fperfil HTTP/1.1\r\n
Host: www.Example.com:80\r\n
User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n
Content-Type: application/x-www-form-urlencoded\r\n
Authorization: Basic bWFyaWE6dmlzaW9uYXJpbw==\r\n
Cookie: JSESSIONID=7F4C2A9B1D3E5F60; theme=dark\r\n
Content-Length: 48\r\n
\r\n
login=maria&pwd=visionario&card=4111111111111111`,
  },
  {
    id: "traversal",
    title: "example.traversal",
    first: request`
GET /static//..%2f..\\%2e%2e;/etc/./passwd%00.png?file=..%5c..%5cboot.ini HTTP/1.1\r\n
Host: files.example.com\r\n
User-Agent: curl/8.5.0\r\n
Accept: */*\r\n
\r\n`,
  },
  {
    id: "smuggling",
    title: "example.smuggling",
    first: request`
POST /search HTTP/1.1\r\n
Host: api.example.com\r\n
User-Agent: python-requests/2.32.3\r\n
Content-Type: application/x-www-form-urlencoded\r\n
Content-Length: 56\r\n
Transfer-Encoding: chunked\r\n
X-Note: a\n
Transfer-Encoding: identity\r\n
\r\n
0\r\n
\r\n
GET /admin HTTP/1.1\r\n
Host: internal.example.com\r\n
\r\n`,
  },
  {
    id: "api",
    title: "example.api",
    first: request`
POST /api/orders?sort=price HTTP/1.1\r\n
Host: shop.example.com\r\n
Content-Type: application/json\r\n
Authorization: Bearer mF_9.B5f-4.1JqM\r\n
Content-Length: 219\r\n
\r\n
{\n
  "customer": {"name": "Ana", "email": "ana@example.com"},\n
  "items": [\n
    {"sku": "A-17", "qty": 2},\n
    {"sku": "B-3 UNION SELECT card FROM users", "qty": {"$gt": 0}}\n
  ],\n
  "callback": "http://169.254.169.254/"\n
}\n`,
  },
  {
    id: "homograph",
    title: "example.homograph",
    first: request`
GET /\u{440}\u{430}ypal/\u{FF4C}\u{FF4F}\u{FF47}\u{FF49}\u{FF4E}/ad\u{200B}min?name=\u{202E}gnp.exe HTTP/1.1\r\n
Host: www.\u{440}\u{430}ypal.com\r\n
User-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) Safari/605.1.15\r\n
X-Comment: caf\xE9\r\n
\r\n`,
  },
  {
    id: "pair",
    title: "example.pair",
    first: spelledPlainly,
    second: request`
GET http://SHOP.example.com:80/tienda/caf%c3%a9?id=7&color=rojo HTTP/1.1\r\n
COOKIE: lang=es; theme=dark\r\n
accept-language: en;q=0.5,es\r\n
user-agent: curl/8.5.0\r\n
host: Shop.Example.COM\r\n
\r\n`,
  },
  {
    id: "odd-pair",
    title: "example.oddPair",
    first: spelledPlainly,
    second: request`
GET /tienda/.//caf%c3%a9?id=7&color=r%6Fjo HTTP/1.1\r\n
Host: shop.example.com.\r\n
User-Agent:   curl/8.5.0\r\n
Accept-Language: es,\r\n en;q=0.5\r\n
Cookie: theme=dark; lang=es\r\n
\r\n`,
  },
];
