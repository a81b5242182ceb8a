"""Scrapy crawls a local server of linked pages, with redirects, errors and a pipeline, on Twisted's reactor."""
import hashlib
import http.server
import logging
import threading

import scrapy
from scrapy.crawler import CrawlerProcess


class Pages(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path.strip("/")
        if name.startswith("r"):
            self.send_response(302)
            self.send_header("Location", f"/{name[1:]}")
            return self.end_headers()
        n = int(name)
        links = "".join(f'<a href="/{"r" if m % 9 == 0 else ""}{m}">{m}</a>' for m in (2 * n, 2 * n + 1) if m < 250)
        body = f"<html><h1>Page {n}</h1>{links}<p>{'word ' * (n % 50)}</p></html>".encode()
        self.send_response(404 if n % 37 == 0 else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Spider(scrapy.Spider):
    name = "pages"
    handle_httpstatus_list = [404]
    found = []

    def parse(self, response):
        number = int(response.css("h1::text").re_first(r"\d+"))
        words = len(response.xpath("//p/text()").get("").split())
        yield {"page": number, "status": response.status, "words": words}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)


class Keep:
    def process_item(self, item):
        Spider.found.append((item["page"], item["status"], item["words"]))
        return item


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
threading.Thread(target=server.serve_forever, daemon=True).start()
Spider.start_urls = [f"http://127.0.0.1:{server.server_port}/1"]
logging.disable(logging.WARNING)
settings = {"ITEM_PIPELINES": {Keep: 1}, "TELNETCONSOLE_ENABLED": False, "LOG_ENABLED": False, "ROBOTSTXT_OBEY": False}
process = CrawlerProcess({**settings, "DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8})
process.crawl(Spider)
process.start()
server.shutdown()
print(len(Spider.found), hashlib.sha256(repr(sorted(Spider.found)).encode()).hexdigest())
print(sorted({status for _, status, _ in Spider.found}), sum(words for *_, words in Spider.found))
